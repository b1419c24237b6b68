import { useMemo } from 'react';
import { diffWords } from './words.ts';

/**
 * One text becoming another: removed words are struck through, new ones underlined, both marked by
 * colour besides.
 */
export function WordDiff({ before, after }: { before: string; after: string }) {
  const pieces = useMemo(() => diffWords(before, after), [before, after]);
  return (
    <p className="pc-text">
      {pieces.map((piece, index) => {
        if (piece.kind === 'same') return <span key={index}>{piece.text}</span>;
        return piece.kind === 'removed' ? (
          <del key={index}>{piece.text}</del>
        ) : (
          <ins key={index}>{piece.text}</ins>
        );
      })}
    </p>
  );
}
