type Attributes = Readonly<Record<string, string>>;

const text = (fill: string, size = '12'): Attributes => ({
  fill,
  'font-size': size,
  'font-family': 'Arial, Helvetica, sans-serif',
});
const line = (stroke: string, dash?: string, width = '2'): Attributes => ({
  stroke,
  fill: 'none',
  'stroke-width': width,
  ...(dash === undefined ? {} : { 'stroke-dasharray': dash }),
});

/**
 * What each class of a drawing looks like in a saved file: ink on white, as attributes, which every
 * program that opens SVG reads. `figures.css` has the same classes for the screen, light and dark.
 * The lines of the series are told apart by people who see no colours: each has dashes of its own.
 */
export const FIGURE_STYLE: Readonly<Record<string, Attributes>> = {
  'fig-text': text('#15191b'),
  'fig-muted': text('#525c60', '11'),
  'fig-title': { ...text('#15191b', '14'), 'font-weight': '600' },
  'fig-letter': { ...text('#15191b', '10'), 'font-weight': '600' },
  'fig-grid': { stroke: '#d6dbdc', 'stroke-width': '1' },
  'fig-axis': { stroke: '#7f898c', 'stroke-width': '1' },
  'fig-reference': { stroke: '#525c60', 'stroke-width': '1', 'stroke-dasharray': '3 3' },
  'fig-all': { fill: '#d6dbdc', stroke: '#7f898c', 'stroke-width': '1' },
  'fig-band': { fill: '#0d5956', 'fill-opacity': '0.16' },
  'fig-bar': { fill: '#0d5956', 'fill-opacity': '0.55' },
  'fig-dot': { fill: '#0d5956', stroke: '#ffffff', 'stroke-width': '1.5' },
  'fig-chosen': { fill: '#fcf3dc' },
  'fig-series-1': line('#0067a3'),
  'fig-series-2': line('#bf4713', '7 3'),
  'fig-series-3': line('#00755a', '2 3'),
  'fig-series-4': line('#94467a', '10 3 2 3'),
  'fig-series-5': line('#8a6100', '5 2'),
  'fig-series-6': line('#3d464a', '12 4'),
  'fig-false': { fill: '#2f6fb3' },
  'fig-false-letter': { ...text('#ffffff', '10'), 'font-weight': '600' },
  'fig-true': { fill: '#bf4713' },
  'fig-true-letter': { ...text('#ffffff', '10'), 'font-weight': '600' },
  'fig-na': { fill: '#e3e6e7' },
  'fig-na-line': { fill: '#6f797d' },
  'fig-na-letter': { ...text('#3d464a', '10'), 'font-weight': '600' },
  'fig-unrecorded': {
    fill: '#ffffff',
    stroke: '#7f898c',
    'stroke-width': '1',
    'stroke-dasharray': '2 2',
  },
  'fig-unrecorded-letter': { ...text('#525c60', '10'), 'font-weight': '600' },
  'fig-moved': { stroke: '#525c60', fill: 'none' },
  'fig-rose': { stroke: '#0067a3', fill: 'none' },
  'fig-fell': { stroke: '#bf4713', fill: 'none', 'stroke-dasharray': '6 3' },
};

/** Series that are told apart by colour and dashes. */
export const SERIES = 6;
