/** A piece of a page. Only `html` and `svg` make one: no string, and no value that came from elsewhere, can become markup. */
class Markup {
  readonly #text: string

  constructor(text: string) {
    this.#text = text
  }

  toString(): string {
    return this.#text
  }
}
export type Html = Markup

/** What a template accepts. Text and numbers are escaped; what is absent leaves nothing. */
export type Piece = string | number | Html | readonly Piece[] | undefined | null | false

/** A piece of a page: what is put in is escaped, unless it is a piece itself. @example html`<b>${agent.handle}</b>` */
export function html(parts: TemplateStringsArray, ...values: readonly Piece[]): Html {
  return new Markup(parts.reduce((page, part, i) => page + rendered(values[i - 1]) + part))
}

function rendered(value: Piece): string {
  if (value === undefined || value === null || value === false) return ''
  if (value instanceof Markup) return value.toString()
  return Array.isArray(value) ? (value as readonly Piece[]).map(rendered).join('') : escapeText(String(value))
}

/** Escapes text for HTML, SVG and their attributes; control characters, which XML forbids, are left out. */
export function escapeText(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is left out
  return text.replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, '').replace(/[&<>"']/g, character => entities[character]!)
}

const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }
