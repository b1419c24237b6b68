const HOUR = 3_600_000;
/**
 * How far the clocks of two machines, or of one before and after it was set right, may be apart
 * without any harm.
 */
const CLOCKS_DIFFER = HOUR;
/** No sign-in link or setup token is made to last longer than this. */
const LONGEST_LINK = 24 * HOUR;

/**
 * The latest time that something made by now can bear. What bears a later one was made while a
 * clock ran ahead: it would last until then.
 */
export const latestMade = (now: number): string => new Date(now + CLOCKS_DIFFER).toISOString();
/** The latest end that a link made by now can have. */
export const latestLinkEnd = (now: number): string =>
  new Date(now + LONGEST_LINK + CLOCKS_DIFFER).toISOString();
