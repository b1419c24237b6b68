const GAP = 10;

interface Box {
  left: number;
  top: number;
  width: number;
  height: number;
}

/**
 * Where a card stands best beside its target: below, above, to its left, or inside its lower right
 * corner; always within the window.
 */
export function placeBeside(
  target: Box,
  card: { width: number; height: number },
  window: { width: number; height: number },
): { left: number; top: number } {
  const within = (value: number, most: number): number =>
    Math.max(GAP, Math.min(value, most - GAP));
  const left = within(target.left, window.width - card.width);
  const below = target.top + target.height + GAP;
  if (below + card.height + GAP <= window.height) return { left, top: below };
  const above = target.top - card.height - GAP;
  if (above >= GAP) return { left, top: above };
  const beside = target.left - card.width - GAP;
  if (beside >= GAP)
    return { left: beside, top: within(target.top + 2 * GAP, window.height - card.height) };
  return {
    left: within(target.left + target.width - card.width - 2 * GAP, window.width - card.width),
    top: within(target.top + target.height - card.height - 2 * GAP, window.height - card.height),
  };
}
