import * as v from 'valibot';
import { readPage } from '../shared/pages/read-page.ts';

const PageRequest = v.object({ url: v.string() });

/** Reads a page of the web for another function of this service. */
export const handler = async (event: unknown) => readPage(v.parse(PageRequest, event).url);
