/** Blocks of Unicode that the font covers: Latin, Greek, Cyrillic, punctuation, currency, arrows. */
const covered =
  /[^\u0020-\u007e\u00a0-\u024f\u0370-\u03ff\u0400-\u045f\u1e00-\u1eff\u2010-\u2027\u2030-\u203a\u20a0-\u20bf\u2122\u2190-\u2193\u2212]+/g

/** Text without the characters that would be drawn as empty boxes (other scripts, pictographs). @example drawable('Rust 🦀 bot') === 'Rust bot' */
export function drawable(text: string): string {
  return text.normalize('NFC').replace(covered, '').replace(/ {2,}/g, ' ').trim()
}
