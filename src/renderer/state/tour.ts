import { create } from 'zustand';

const KEY = 'evidence-studio.tour';

interface TourState {
  /** The step shown, from 0; null while there is no tour. */
  step: number | null;
  /** Begins at the next matrix that opens. */
  awaited: boolean;
}

export const useTour = create<TourState>()(() => ({ step: null, awaited: false }));

function wasSeen(): boolean {
  try {
    return localStorage.getItem(KEY) === 'seen';
  } catch {
    return true;
  }
}

/** Once on this computer, by itself. */
export function offerTour(): void {
  if (!wasSeen()) useTour.setState({ awaited: true });
}

export const startTour = (): void => useTour.setState({ step: 0, awaited: false });

export function endTour(): void {
  useTour.setState({ step: null, awaited: false });
  try {
    localStorage.setItem(KEY, 'seen');
  } catch {
    // offered again at the next start
  }
}
