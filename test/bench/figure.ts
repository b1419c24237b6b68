export interface Figure {
  what: string;
  ours: string;
  /** The floor or peer, measured in the same run; empty where the gate is absolute. */
  floor: string;
  compared: string;
  gate: string;
  met: boolean;
}
