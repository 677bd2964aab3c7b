import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { smallPdf, words } from '../support/fixtures/small-documents.ts';
import { useChatStage } from '../support/servers/chat-stage.ts';
import { chunk, done, gate, streamOf, usageChunk } from '../support/servers/model-stub-pieces.ts';
import { hasRoute, useConsole } from './use-console.ts';

const { newAccount, newModel, stage } = await useChatStage();
const { open } = await useConsole();

/** Opens the playground with a model chosen. */
async function openWith(model: { id: string }, budget_usd = 100): Promise<Page> {
  const page = await open(await newAccount({ budget_usd }), { at: 'playground' });
  await page.getByLabel('Model').selectOption(model.id);
  return page;
}

async function ask(page: Page, message: string): Promise<void> {
  await page.getByLabel('Message').fill(message);
  await page.keyboard.press('Enter');
}

const answer = (page: Page) => page.locator('.answer').last();

describe('an answer', () => {
  it('grows as it is written, then says what it took', async () => {
    const goOn = gate();
    async function* pieces() {
      yield chunk('The **first** half ');
      await goOn.opened;
      yield* [chunk('and the rest.'), chunk({}, 'stop'), usageChunk(2_000, 300), done];
    }
    const page = await openWith(newModel('plain', { kind: 'pieces', pieces: pieces() }));
    await ask(page, 'Well?');

    await answer(page).getByText('first half').waitFor();
    const first = await answer(page).locator('strong').elementHandle();
    expect(await page.getByRole('button', { name: 'Stop' }).isVisible()).toBe(true);
    goOn.open();

    await answer(page).getByText('first half and the rest.').waitFor();
    await answer(page).getByText('$0.005 · 2,000 tokens in, 300 out').waitFor();
    expect(await first?.evaluate((element) => element.isConnected)).toBe(true);
  });

  it('is stopped by its reader, and the conversation goes on', async () => {
    const pieces = [chunk('It begins.')];
    const model = newModel('plain', [
      { kind: 'pieces', pieces, ending: 'hang' },
      { kind: 'answer', content: 'Another.' },
    ]);
    const page = await openWith(model);
    await ask(page, 'Well?');
    await answer(page).getByText('It begins').waitFor();

    await page.getByRole('button', { name: 'Stop' }).click();
    await answer(page).getByText('You stopped it.').waitFor();
    await ask(page, 'And now?');

    await answer(page).getByText('Another.').waitFor();
    expect(model.upstreams[0]?.requests().at(-1)?.body.messages).toEqual([
      { role: 'user', content: 'Well?' },
      { role: 'assistant', content: 'It begins.' },
      { role: 'user', content: 'And now?' },
    ]);
  });

  it('that the model breaks off says so, and keeps what came', async () => {
    const pieces = [chunk('It begins')];
    const page = await openWith(newModel('plain', { kind: 'pieces', pieces, ending: 'cut' }));

    await ask(page, 'Well?');

    await answer(page).getByRole('alert').waitFor();
    await answer(page).getByText('It begins').waitFor();
    await page.getByRole('button', { name: 'Send' }).waitFor();
  });

  it('whose connection is lost says so, and keeps what came', async () => {
    const page = await openWith(newModel());
    await page.route('**/chat/stream', (route) =>
      route.fulfill({
        body: `data: ${JSON.stringify({ type: 'delta', content: 'It begins' })}\n\n`,
      }),
    );

    await ask(page, 'Well?');

    await answer(page).getByText('The connection broke off').waitFor();
    await answer(page).getByText('It begins').waitFor();
  });

  it('with HTML, scripts, images and links to scripts stays text', async () => {
    const content = [
      '<img src="https://evil.example/a.png" onerror="document.title=\'run\'">',
      '<script>document.title = "run"</script>',
      '![a picture](https://evil.example/b.png)',
      '[press me](javascript:document.title="run")',
      '[a page](https://example.com/page) and [1]',
    ].join('\n\n');
    const page = await openWith(newModel('plain', { kind: 'answer', content }));

    await ask(page, 'Well?');
    await answer(page).getByRole('link', { name: 'a page' }).waitFor();

    const shown = page.locator('.markdown');
    expect(await shown.locator('img, script, iframe, style, [onerror]').count()).toBe(0);
    expect(await shown.innerText()).toContain('<script>document.title = "run"</script>');
    expect(await shown.innerText()).toContain('[press me]');
    expect(await shown.innerText()).toContain('[1]');
    const links = await shown.locator('a').evaluateAll((all) => all.map((each) => each.outerHTML));
    expect(links).toHaveLength(2);
    for (const link of links)
      expect(link).toMatch(/href="https:.*rel="noopener noreferrer nofollow"/);
    expect(await page.title()).toBe('Playground · Quire');
  });

  it('is rated, and the rating shows', async () => {
    const page = await openWith(newModel());
    await ask(page, 'Well?');
    const thumb = answer(page).getByRole('button', { name: 'Good answer' });
    const rated = page.waitForResponse((response) => response.url().endsWith('/feedback'));

    await thumb.click();

    expect((await rated).status()).toBe(200);
    expect((await rated).request().postDataJSON()).toMatchObject({
      rating: 'up',
      message_id: expect.stringMatching(/^msg_/),
      user_message: 'Well?',
    });
    await page.locator('[aria-pressed="true"]').waitFor();
  });
});

describe.runIf(await hasRoute(stage, '/chat/sessions'))('a conversation of before', () => {
  it('is gone on with', async () => {
    const model = newModel();
    const page = await openWith(model);
    await ask(page, 'How many valves?');
    await answer(page).locator('.facts').waitFor();
    await page.getByRole('button', { name: 'New conversation' }).click();
    await page.getByText('Ask something.').waitFor();

    await page.getByRole('button', { name: 'Earlier' }).click();
    await page.getByRole('button', { name: /^sess_/ }).click();
    await page.locator('.question', { hasText: 'How many valves?' }).waitFor();
    await ask(page, 'And pumps?');
    await answer(page).getByText('echo: And pumps?').waitFor();

    expect(model.upstreams[0]?.requests().at(-1)?.body.messages).toHaveLength(3);
  });
});

describe('a message', () => {
  it('takes files and images with it, and the system prompt and temperature', async () => {
    const model = newModel();
    const page = await openWith(model);
    await page.getByLabel('System prompt').fill('Be brief.');
    await page.getByLabel('Temperature').fill('0.7');
    await page.locator('input[type=file]').setInputFiles([
      { name: 'notes.txt', mimeType: 'text/plain', buffer: Buffer.from('The valve leaks.') },
      { name: 'dot.png', mimeType: 'image/png', buffer: Buffer.from(dot, 'base64') },
    ]);
    await page.getByRole('button', { name: 'Remove dot.png' }).waitFor();

    await ask(page, 'What leaks?');
    await answer(page).locator('.facts').waitFor();

    const asked = model.upstreams[0]?.requests()[0]?.body;
    expect(asked?.['temperature']).toBe(0.7);
    expect(asked?.messages).toEqual([
      { role: 'system', content: 'Be brief.' },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'What leaks?\n\n--- notes.txt ---\nThe valve leaks.' },
          { type: 'image_url', image_url: { url: `data:image/png;base64,${dot}` } },
        ],
      },
    ]);
  });

  it('takes a document’s text, and says of one without that it is to be read first', async () => {
    const model = newModel('plain', { kind: 'pieces', pieces: streamOf(['Yes.']) });
    const page = await openWith(model);
    const attach = (name: string, bytes: Uint8Array) =>
      page
        .locator('input[type=file]')
        .setInputFiles({ ...{ name, mimeType: 'application/pdf', buffer: Buffer.from(bytes) } });

    await attach('printed.pdf', await smallPdf([{ words: words(1) }]));
    await ask(page, 'What is printed?');
    await answer(page).locator('.facts').waitFor();
    await attach('scanned.pdf', await smallPdf([{ grey: 90 }]));
    await ask(page, 'And here?');

    await page.getByText(/scanned\.pdf has no text .* read it with a batch job/).waitFor();
    const [asked] = model.upstreams[0]?.requests() ?? [];
    expect(JSON.stringify(asked?.body.messages)).toContain(words(1).slice(0, 21));
  });

  it('that the budget doesn’t cover says what it would cost and what is left', async () => {
    const page = await openWith(newModel(), 0.000001);

    await ask(page, 'Well?');

    await page.getByText('The budget doesn’t cover this.').waitFor();
    await page.getByText('$0.000001 of $0.000001 are left').waitFor();
    await page.getByText('The budget does not reset.').waitFor();
  });

  it('that breaks a rule says which', async () => {
    const page = await openWith(newModel());
    await page.getByLabel('Temperature').fill('7');

    await ask(page, 'Well?');

    await page.getByText('temperature: Input should be less than or equal to 2').waitFor();
  });

  it('is shown as code that sends it, without the key', async () => {
    const model = newModel('plain', { kind: 'pieces', pieces: streamOf(['Yes.']) });
    const page = await openWith(model);
    await page.getByLabel('Message').fill('Isn’t it?');
    await page.getByText('This request as code').click();
    const code = page.locator('.code pre');

    for (const language of [
      'curl',
      'openai-node',
      'openai-python',
      'responses',
      'anthropic-node',
    ]) {
      await page.getByLabel(language).check();
      const text = await code.innerText();
      expect(text).toContain(stage.base_url);
      expect(text).toContain(model.id);
      expect(text).toContain('Isn’t it?');
      expect(text).toContain('QUIRE_API_KEY');
      expect(text).not.toMatch(/sk-\w{40}/);
    }
  });
});

/** A PNG of one pixel. */
const dot =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
