import { signal } from '@preact/signals';

const storageName = 'quire.api-key';

/** The API key, for as long as the page is open. It is sent to the service and nowhere else. */
export const apiKey = signal<string | undefined>(undefined);

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

/**
 * Takes a key out of the URL's fragment, where `npm start` puts it, or out of the tab's storage. Browsers send no
 * fragment to servers, and it leaves the address bar and the history at once.
 */
export function adoptKey(): void {
  const [, fromUrl] = location.hash.match(/^#key=(.+)$/) ?? [];
  if (fromUrl) {
    history.replaceState(null, '', `${location.pathname}#/overview`);
    useKey(decodeURIComponent(fromUrl), false);
  } else if (!apiKey.value) {
    apiKey.value = tabStorage()?.getItem(storageName) ?? undefined;
  }
}

/** Uses a key from now on. */
export function useKey(key: string, remember: boolean): void {
  refusal.value = undefined;
  if (remember) tabStorage()?.setItem(storageName, key);
  else tabStorage()?.removeItem(storageName);
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
