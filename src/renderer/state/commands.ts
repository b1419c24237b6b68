import { useEffect } from 'react';
import { create } from 'zustand';

/** Something that the palette and the desktop's menu can do. */
export interface Command {
  /**
   * Unique among all sources, and the same at the next start: recent commands are remembered by it.
   */
  id: string;
  label: string;
  group: string;
  /** Its keys in the words of this keyboard; "" where it has none. */
  keys: string;
  /** What is meant, where the label alone is not clear. */
  detail?: string;
  enabled: boolean;
  /** Why it cannot be done, where it is not enabled. */
  reason?: string;
  run(): void;
}

/** Things too many to list: found by their text, the best first. */
export interface CommandFinder {
  name: string;
  find(text: string, most: number): Command[];
}

/** A part of the page that offers commands while it is on screen. */
export interface CommandSource {
  commands(): Command[];
  places: readonly CommandFinder[];
}

interface CommandState {
  sources: readonly CommandSource[];
  /** What the palette is open for: everything, or one place by its name. */
  palette: 'closed' | 'all' | { place: string };
}

export const useCommandState = create<CommandState>()(() => ({ sources: [], palette: 'closed' }));

export function registerCommands(source: CommandSource): () => void {
  useCommandState.setState(({ sources }) => ({ sources: [...sources, source] }));
  return () =>
    useCommandState.setState(({ sources }) => ({
      sources: sources.filter((other) => other !== source),
    }));
}

/**
 * Offers the commands while the component is on screen. The source must stay the same object as
 * long as it means the same.
 */
export function useCommands(source: CommandSource): void {
  useEffect(() => registerCommands(source), [source]);
}

export function openPalette(place?: string): void {
  useCommandState.setState({ palette: place === undefined ? 'all' : { place } });
}

export const closePalette = (): void => useCommandState.setState({ palette: 'closed' });

export const commandsOf = (sources: readonly CommandSource[]): Command[] =>
  sources.flatMap((source) => source.commands());

/** False where nothing on screen offers it at this moment. */
export function runCommand(id: string): boolean {
  const command = commandsOf(useCommandState.getState().sources).find((entry) => entry.id === id);
  if (command?.enabled !== true) return false;
  command.run();
  return true;
}
