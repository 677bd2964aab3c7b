import type { FieldError } from '../../../shared/http/errors.ts';

/** The figures of a budget that doesn't cover a request. */
export interface BudgetFigures {
  max_usd: number;
  used_usd: number;
  held_usd: number;
  remaining_usd: number;
  reset_at: string | null;
  request_max_usd: number;
}

/** A request that was refused or lost, in words for the user. */
export class Failure extends Error {
  /** 0 if there was no answer. */
  readonly status: number;
  readonly budget: BudgetFigures | undefined;

  constructor(
    status: number,
    message: string,
    { budget, ...options }: ErrorOptions & { budget?: BudgetFigures | undefined } = {},
  ) {
    super(message, options);
    this.status = status;
    this.budget = budget;
  }
}

interface ErrorBody {
  detail?: string | FieldError[];
  error?: { message?: string; budget?: BudgetFigures };
  budget?: BudgetFigures;
}

/** Reads the failure that an answer tells of. */
export async function failureOf(response: Response): Promise<Failure> {
  const body = await readBody(response);
  const message = wordsOf(body) ?? `The service answered with status ${response.status}.`;
  return new Failure(response.status, message, { budget: body.budget ?? body.error?.budget });
}

async function readBody(response: Response): Promise<ErrorBody> {
  try {
    return ((await response.json()) ?? {}) as ErrorBody;
  } catch {
    return {};
  }
}

function wordsOf({ detail, error }: ErrorBody): string | undefined {
  if (!Array.isArray(detail)) return detail ?? error?.message;
  return detail
    .map(({ loc, msg }) => `${loc.slice(1).join('.')}: ${msg.replace(/^Value error, /, '')}`)
    .join('; ');
}

/** Takes a 404 for nothing, as where a list names what may be gone by now. */
export function unlessGone(error: unknown): undefined {
  if (!isGone(error)) throw error;
}

/** Whether what was asked for is not there, so that asking again changes nothing. */
export const isGone = (error: unknown): boolean => error instanceof Failure && error.status === 404;
