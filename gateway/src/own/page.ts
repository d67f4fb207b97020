/** Text that is safe inside a page. */
export interface Html {
  readonly html: string
}

/** A piece of a page: what is put in is escaped, unless it is a piece itself. @example html`<b>${agent.handle}</b>` */
export function html(parts: TemplateStringsArray, ...values: readonly (string | number | Html | readonly Html[])[]): Html {
  const text = (value: (typeof values)[number]): string => {
    if (typeof value === 'string' || typeof value === 'number') return escapeText(String(value))
    return 'html' in value ? value.html : value.map(piece => piece.html).join('')
  }
  return { html: parts.reduce((page, part, i) => page + text(values[i - 1] ?? '') + part) }
}

/** Escapes text for HTML, SVG and their attributes; control characters, which XML forbids, are left out. */
export function escapeText(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is left out
  return text.replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, '').replace(/[&<>"']/g, character => entities[character]!)
}

const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }

/** Of every page: nothing is loaded but from here, nothing inline runs, nobody frames it. */
export const pageHeaders = {
  'content-security-policy':
    "default-src 'none'; img-src 'self' data:; style-src 'self'; script-src 'self'; connect-src 'self'; font-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'cache-control': 'public, max-age=60',
}

/** A whole document in the house style. */
export function page(options: { title: string; head?: Html; main: Html }): string {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${options.title}</title>
<link rel="stylesheet" href="/assets/carapace.css">
${options.head ?? { html: '' }}
</head>
<body>
<main>
${options.main}
</main>
</body>
</html>
`.html
}
