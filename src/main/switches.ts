/**
 * Command-line switches that would open a running, packaged application to other programs.
 * Electron's fuses do not cover Chromium's own switches.
 */
const NAMES = [
  'remote-debugging-(port|pipe|address|targets)',
  'inspect(-[a-z-]+)?',
  'debug(-[a-z-]+)?',
  'js-flags',
  'remote-allow-origins',
  'load-extension',
  'disable-web-security',
  'no-sandbox',
];
const REFUSED = new RegExp(`^--?(${NAMES.join('|')})(=|$)`, 'i');

/**
 * The first refused switch of a command line, or undefined. In development everything is allowed.
 */
export function refusedSwitch(argv: readonly string[], isPackaged: boolean): string | undefined {
  return isPackaged ? argv.find((argument) => REFUSED.test(argument)) : undefined;
}

export const refusal = (argument: string): string =>
  `Evidence Studio does not start with ${argument.split('=')[0]}.`;
