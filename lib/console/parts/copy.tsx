import { useState } from 'preact/hooks';
import { Quiet } from './quiet.tsx';

/** A button that copies a text. */
export function Copy({ text, what = 'Copy' }: { text: string; what?: string }) {
  const [copied, setCopied] = useState(false);
  const copy = async () => {
    await navigator.clipboard.writeText(text);
    setCopied(true);
    setTimeout(() => setCopied(false), 2_000);
  };
  return (
    <Quiet class="small" onClick={copy}>
      {copied ? 'Copied' : what}
    </Quiet>
  );
}
