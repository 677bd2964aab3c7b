import { signal } from '@preact/signals';

const storageName = 'quire.api-key';

/** The API key, for as long as the page is open. It is sent to the service and nowhere else. */
export const apiKey = signal<string | undefined>(undefined);

/** Whether the tab's storage has the key, so that it outlives a reload. */
export const isKept = signal(false);

/** Why a key is asked for, if it was refused. */
export const refusal = signal<string | undefined>(undefined);

/** The tab's storage; none where the browser keeps it from pages: then a key lasts as long as the page. */
function tabStorage(): Storage | undefined {
  try {
    return sessionStorage;
  } catch {
    return undefined;
  }
}

/** Takes a key from the URL's fragment, where `npm start` puts it, or the tab's storage. The fragment is removed at once. */
export function adoptKey(): void {
  const [, fromUrl] = location.hash.match(/^#key=(.+)$/) ?? [];
  if (fromUrl) {
    history.replaceState(null, '', `${location.pathname}#/overview`);
    useKey(decodeURIComponent(fromUrl), true);
    // `replaceState` sends no event of its own.
    window.dispatchEvent(new HashChangeEvent('hashchange'));
  } else if (!apiKey.value) {
    const kept = tabStorage()?.getItem(storageName);
    if (kept) useKey(kept, true);
  }
}

/** Uses a key from now on. */
export function useKey(key: string, remember: boolean): void {
  refusal.value = undefined;
  const storage = tabStorage();
  if (remember) storage?.setItem(storageName, key);
  else storage?.removeItem(storageName);
  isKept.value = remember && storage !== undefined;
  apiKey.value = key;
}

/** Forgets the key, everywhere. */
export function forgetKey(reason?: string): void {
  tabStorage()?.removeItem(storageName);
  apiKey.value = undefined;
  refusal.value = reason;
}

/** Gives the key to the reference page, if that was opened from this one and asks for it. */
export function answerReference({ origin, data, source }: MessageEvent): void {
  if (origin !== location.origin || data !== 'quire: which key?' || !apiKey.value) return;
  (source as Window | null)?.postMessage({ quireKey: apiKey.value }, location.origin);
}
