import type { ComponentProps } from 'preact';

/** A button that stands back behind what a page or a form is for. Its classes are added to that. */
export const Quiet = ({
  class: more = '',
  ...rest
}: ComponentProps<'button'> & { class?: string }) => (
  <button type="button" class={`quiet ${more}`} {...rest} />
);
