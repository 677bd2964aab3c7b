import type { RefObject } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { request } from '../../api/call.ts';

/** How far outside of what is seen pages are loaded already. */
const margin = '400px 0px';

/** A page as it was brought: its text, or its picture as a URL of the browser's own. An address could carry no key. */
export interface PagePicture {
  url: string | undefined;
  text: string | undefined;
  failure: Error | undefined;
  reload(): void;
}

/** Loads the picture of a page once its frame comes near to what is seen of the pane around it. */
export function usePagePicture(
  jobId: string,
  page: number,
  frame: RefObject<HTMLElement | null>,
  pane: RefObject<HTMLElement | null>,
): PagePicture {
  const [isNear, setNear] = useState(false);
  const [url, setUrl] = useState<string>();
  const [text, setText] = useState<string>();
  const [failure, setFailure] = useState<Error>();
  const [round, setRound] = useState(0);

  useEffect(() => {
    const { current } = frame;
    if (!current) return;
    const observer = new IntersectionObserver(
      (entries) => {
        if (entries.some(({ isIntersecting }) => isIntersecting)) setNear(true);
      },
      { root: pane.current, rootMargin: margin },
    );
    observer.observe(current);
    return () => observer.disconnect();
  }, []);

  useEffect(() => {
    if (!isNear) return;
    const leaving = new AbortController();
    let made: string | undefined;
    setFailure(undefined);
    pictureOf(jobId, page, leaving.signal).then(
      (page) => {
        if (leaving.signal.aborted) return;
        if (typeof page === 'string') return setText(page);
        made = URL.createObjectURL(page);
        setUrl(made);
      },
      (error) => leaving.signal.aborted || setFailure(error as Error),
    );
    return () => {
      leaving.abort();
      if (made) URL.revokeObjectURL(made);
    };
  }, [jobId, page, isNear, round]);

  return { url, text, failure, reload: () => setRound((last) => last + 1) };
}

async function pictureOf(jobId: string, page: number, signal: AbortSignal): Promise<Blob | string> {
  const path = `/batch/jobs/${encodeURIComponent(jobId)}/pages/${page}`;
  const response = await request('GET', path, undefined, signal);
  const isText = response.headers.get('content-type')?.startsWith('text/');
  return isText ? response.text() : response.blob();
}
