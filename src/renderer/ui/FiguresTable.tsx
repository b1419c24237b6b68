import { Table } from './Table.tsx';

interface FiguresTableProps {
  caption: string;
  heads: readonly string[];
  /** Of each row its name, then its figures as texts. */
  rows: readonly (readonly string[])[];
}

/** A table of figures: the first column names the rows. */
export function FiguresTable({ caption, heads, rows }: FiguresTableProps) {
  return (
    <Table
      caption={caption}
      dense
      head={
        <tr>
          {heads.map((head, at) => (
            <th key={head} scope="col" className={at === 0 ? undefined : 'n'}>
              {head}
            </th>
          ))}
        </tr>
      }
    >
      {rows.map(([name, ...figures], at) => (
        <tr key={`${at} ${name}`}>
          <th scope="row">{name}</th>
          {figures.map((figure, column) => (
            <td key={heads[column + 1]} className="n">
              {figure}
            </td>
          ))}
        </tr>
      ))}
    </Table>
  );
}
