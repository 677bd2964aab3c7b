/** An option: the name of its value, if it takes one, what it does, and whether it may be given several times. */
export type Option = readonly [value: string, does: string, times?: 'many'];

/** One command of a program. */
export interface Command {
  summary: string;
  takesKeyId: boolean;
  takesJobId?: boolean;
  /** Whether it may be called without an id. */
  idIsOptional?: boolean;
  /** What it takes one or several of, such as `FILE...`. */
  takesMany?: string;
  options: readonly string[];
  /** What its help says at the end. */
  notes: string;
}

/** A program for operators: `npm run <program> -- COMMAND [options]`. */
export interface CommandLine<Name extends string> {
  program: string;
  summary: string;
  /** What the ids are of that its commands take: `npm run <of>s -- list` shows them. Those of keys unless it says. */
  idsOf?: 'key' | 'team' | 'file';
  options: Record<string, Option>;
  commands: Record<Name, Command>;
}

/** The options that every command of every program takes. */
export const commonOptions = {
  data: ['DIR', 'the folder of the running local stage; default .local'],
  stack: ['NAME', 'a deployed stack instead, with your AWS credentials'],
  help: ['', 'show this'],
} as const satisfies Record<string, Option>;

/** The option of a command that can print its result as JSON, for programs. */
export const jsonOption = {
  json: ['', 'print one JSON object; npm run --silent prints nothing else'],
} as const satisfies Record<string, Option>;

/** An error that the operator can put right; its message is one sentence for them. */
export class CommandError extends Error {
  override readonly name = 'CommandError';
}
