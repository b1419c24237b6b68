import { themeQuartz, type Theme } from 'ag-grid-community';

/**
 * The grid's look from the application's tokens: it turns dark with them, and needs no colours of
 * its own.
 */
export const matrixTheme: Theme = themeQuartz.withParams({
  accentColor: 'var(--accent)',
  backgroundColor: 'var(--surface)',
  foregroundColor: 'var(--text)',
  borderColor: 'var(--border)',
  browserColorScheme: 'inherit',
  borderRadius: 0,
  wrapperBorderRadius: 0,
  wrapperBorder: false,
  cellHorizontalPadding: 8,
  columnBorder: { color: 'var(--mx-line)' },
  dataFontSize: 'var(--text-sm)',
  focusShadow: 'none',
  fontFamily: 'var(--font)',
  fontSize: 'var(--text-sm)',
  headerBackgroundColor: 'var(--surface-2)',
  headerColumnBorder: { color: 'var(--border)' },
  headerFontSize: 'var(--text-sm)',
  headerFontWeight: 500,
  headerRowBorder: { color: 'var(--border)' },
  headerTextColor: 'var(--text)',
  oddRowBackgroundColor: 'var(--surface)',
  pinnedColumnBorder: { color: 'var(--border)', width: 1 },
  rowBorder: { color: 'var(--mx-line)' },
  rowHoverColor: 'var(--mx-hover)',
  spacing: 6,
});
