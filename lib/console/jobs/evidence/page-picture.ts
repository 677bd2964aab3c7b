import type { RefObject } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { request } from '../../api/call.ts';

/** How far outside of what is seen pages are loaded already. */
const margin = '400px 0px';

/** The picture of a page as a URL of the browser's own: the key goes with the request, which an address can't do. */
export interface PagePicture {
  url: string | undefined;
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
      (blob) => {
        if (leaving.signal.aborted) return;
        made = URL.createObjectURL(blob);
        setUrl(made);
      },
      (error) => leaving.signal.aborted || setFailure(error as Error),
    );
    return () => {
      leaving.abort();
      if (made) URL.revokeObjectURL(made);
    };
  }, [jobId, page, isNear, round]);

  return { url, failure, reload: () => setRound((last) => last + 1) };
}

async function pictureOf(jobId: string, page: number, signal: AbortSignal): Promise<Blob> {
  const path = `/batch/jobs/${encodeURIComponent(jobId)}/pages/${page}`;
  return (await request('GET', path, undefined, signal)).blob();
}
