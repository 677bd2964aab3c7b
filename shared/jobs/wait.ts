import { ServiceError } from '../http/errors.ts';

/** Thrown where a job can't go on before an instant, through no fault of its own: no retry is counted. */
export class JobWait extends ServiceError {
  readonly untilMs: number;

  constructor(code: string, message: string, untilMs: number) {
    super(429, code, message);
    this.untilMs = untilMs;
  }
}
