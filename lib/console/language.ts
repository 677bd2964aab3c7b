/**
 * Has the browser speak English if its language is no language tag: it is `en-US@posix` where the machine's is C, as in
 * containers, and may be empty. uPlot makes a format for it as it is loaded, and would throw.
 *
 * @see https://www.rfc-editor.org/rfc/rfc5646
 */
export function replaceUnknownLanguage(): void {
  if (isTag(navigator.language)) return;
  Object.defineProperty(navigator, 'language', { value: 'en-US', configurable: true });
}

function isTag(language: string): boolean {
  try {
    return Intl.getCanonicalLocales(language).length > 0;
  } catch {
    return false;
  }
}
