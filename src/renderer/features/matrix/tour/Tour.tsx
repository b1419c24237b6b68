import { X } from 'lucide-react';
import { useEffect, useId, useLayoutEffect, useRef } from 'react';
import { endTour, startTour, useTour } from '../../../state/tour.ts';
import { Button, IconButton } from '../../../ui/Button.tsx';
import { useKeyHints } from '../actions/key-hint.ts';
import { useEditor } from '../editor/use-editor.ts';
import { placeBeside } from './place.ts';
import { TOUR } from './steps.ts';
import './tour.css';
import { t } from '../../../text/t.ts';

/**
 * Cards beside the parts of the editor, one after the other. They stop nobody: the editor works on.
 */
export function Tour() {
  const editor = useEditor();
  const step = useTour((state) => state.step);
  const awaited = useTour((state) => state.awaited);
  useEffect(() => {
    if (awaited && editor.session.items.length > 0) startTour();
  }, [awaited, editor]);
  // Whoever leaves the matrix has left the tour, and may take it again.
  useEffect(() => () => useTour.setState({ step: null }), []);
  return step === null ? null : <Card step={step} />;
}

function Card({ step }: { step: number }) {
  const editor = useEditor();
  const keysOf = useKeyHints();
  const id = useId();
  const card = useRef<HTMLElement>(null);
  const shown = TOUR[step];
  const end = (): void => {
    endTour();
    editor.focusGrid();
  };
  const at = shown?.at;
  useLayoutEffect(() => {
    const own = card.current;
    const target =
      at === undefined
        ? null
        : (own?.closest('.mx-editor')?.querySelector<HTMLElement>(at) ?? null);
    if (own === null) return undefined;
    const place = (): void => {
      const size = { width: window.innerWidth, height: window.innerHeight };
      const { left, top } = placeBeside(
        target?.getBoundingClientRect() ?? { left: 0, top: 0, ...size },
        own.getBoundingClientRect(),
        size,
      );
      own.style.left = `${left}px`;
      own.style.top = `${top}px`;
    };
    place();
    if (target !== null) target.dataset['tour'] = '';
    own.focus({ preventScroll: true });
    window.addEventListener('resize', place);
    window.addEventListener('scroll', place, { passive: true });
    return () => {
      if (target !== null) delete target.dataset['tour'];
      window.removeEventListener('resize', place);
      window.removeEventListener('scroll', place);
    };
  }, [at, step]);
  useEffect(() => {
    const own = card.current;
    const onKeyDown = (event: KeyboardEvent): void => {
      if (event.key !== 'Escape') return;
      event.preventDefault();
      endTour();
      editor.focusGrid();
    };
    own?.addEventListener('keydown', onKeyDown);
    return () => own?.removeEventListener('keydown', onKeyDown);
  }, [editor]);
  if (shown === undefined) return null;
  const last = step === TOUR.length - 1;
  return (
    <section
      ref={card}
      className="mx-tour"
      aria-labelledby={`${id}-title`}
      aria-describedby={`${id}-text`}
      tabIndex={-1}
    >
      <header>
        <p className="mx-tour-count">
          {t('Step {step, number} of {steps, number}', { step: step + 1, steps: TOUR.length })}
        </p>
        <IconButton label={t('End the tour')} onClick={end}>
          <X size={14} aria-hidden="true" />
        </IconButton>
      </header>
      <h2 id={`${id}-title`}>{shown.title}</h2>
      <p id={`${id}-text`}>{shown.text(keysOf)}</p>
      <footer>
        {!last && (
          <Button size="sm" variant="ghost" onClick={end}>
            {t('Skip')}
          </Button>
        )}
        {step > 0 && (
          <Button size="sm" onClick={() => useTour.setState({ step: step - 1 })}>
            {t('Back')}
          </Button>
        )}
        <Button
          size="sm"
          variant="primary"
          onClick={() => (last ? end() : useTour.setState({ step: step + 1 }))}
        >
          {last ? t('Done') : t('Next')}
        </Button>
      </footer>
    </section>
  );
}
