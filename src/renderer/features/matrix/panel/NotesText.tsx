import { Fragment } from 'react';
import { ReferenceLink } from './ReferenceLink.tsx';
import { type MarkupBlock, type Inline } from './markup.ts';

/** Notes as read. The same text always gives the same parts, so their places are their keys. */
export function NotesText({ blocks }: { blocks: readonly MarkupBlock[] }) {
  return (
    <div className="mx-notes">
      {blocks.map((block, index) => (
        <BlockText key={`${index} ${block.kind}`} block={block} />
      ))}
    </div>
  );
}

function BlockText({ block }: { block: MarkupBlock }) {
  if (block.kind === 'code')
    return (
      <pre tabIndex={0}>
        <code>{block.text}</code>
      </pre>
    );
  if (block.kind === 'paragraph')
    return (
      <p>
        {block.lines.map((line, index) => (
          <Fragment key={`${index}`}>
            {index > 0 && <br />}
            <Line parts={line} />
          </Fragment>
        ))}
      </p>
    );
  const items = block.items.map((item, index) => (
    <li key={`${index}`}>
      <Line parts={item} />
    </li>
  ));
  return block.ordered ? <ol start={block.start}>{items}</ol> : <ul>{items}</ul>;
}

function Line({ parts }: { parts: readonly Inline[] }) {
  return parts.map((part, index) => <Part key={`${index}`} part={part} />);
}

function Part({ part }: { part: Inline }) {
  switch (part.kind) {
    case 'text':
      return part.text;
    case 'strong':
      return <strong>{part.text}</strong>;
    case 'em':
      return <em>{part.text}</em>;
    case 'code':
      return <code>{part.text}</code>;
    case 'link':
      return <ReferenceLink address={part.address}>{part.text}</ReferenceLink>;
  }
}
