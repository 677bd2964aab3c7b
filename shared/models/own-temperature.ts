import { ModelError, toModelError } from './errors.ts';

/** The models of upstreams that have refused a temperature of ours, as this process has learnt. */
const refusing = new Set<string>();

/**
 * Asks a model of an upstream with our temperature, where the caller gave none. One that refuses it is asked once more
 * without, and gets none from then on.
 */
export async function withOwnTemperature<Answer>(
  upstreamModel: string,
  temperature: number | undefined,
  ask: (own: { temperature?: number }) => Promise<Answer>,
): Promise<Answer> {
  if (temperature === undefined || refusing.has(upstreamModel)) return ask({});
  try {
    return await ask({ temperature });
  } catch (error) {
    if (!isAboutTemperature(error)) throw error;
    const answer = await ask({});
    refusing.add(upstreamModel);
    return answer;
  }
}

function isAboutTemperature(error: unknown): boolean {
  const told = toModelError(error);
  if (!(told instanceof ModelError) || told.statusCode !== 400) return false;
  return /temperature/i.test(`${told.param} ${told.message}`);
}
