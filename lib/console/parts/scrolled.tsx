import type { ComponentChildren } from 'preact';

/** Holds what may be wider or longer than the screen, so that the keyboard scrolls it too. */
export function Scrolled({ label, children }: { label: string; children: ComponentChildren }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what is scrolled must take the focus
    <section class="scrolled" aria-label={label} tabIndex={0}>
      {children}
    </section>
  );
}
