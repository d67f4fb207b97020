const vowel = /[aeiou]|(?<=[^aeiou])y/
const short = /^(?:[^aeiouy]|y(?=[aeiou]))*(?:[aeiouy]|(?<=[^aeiou])y)[^aeiouwxy]$/

/** Endings of the second and third step, the longest first, with their replacements in a word that is long enough without them. */
const second: readonly [string, string][] = [
  ['ational', 'ate'],
  ['ization', 'ize'],
  ['iveness', 'ive'],
  ['fulness', 'ful'],
  ['ousness', 'ous'],
  ['tional', 'tion'],
  ['biliti', 'ble'],
  ['entli', 'ent'],
  ['ousli', 'ous'],
  ['ation', 'ate'],
  ['alism', 'al'],
  ['aliti', 'al'],
  ['iviti', 'ive'],
  ['enci', 'ence'],
  ['anci', 'ance'],
  ['izer', 'ize'],
  ['abli', 'able'],
  ['alli', 'al'],
  ['ator', 'ate'],
  ['logi', 'log'],
  ['eli', 'e'],
]
const third: readonly [string, string][] = [
  ['icate', 'ic'],
  ['ative', ''],
  ['alize', 'al'],
  ['iciti', 'ic'],
  ['ical', 'ic'],
  ['ness', ''],
  ['ful', ''],
]
const fourth = 'ement ance ence able ible ment ant ent ism ate iti ous ive ize al er ic ou'.split(' ')

/**
 * The stem of a lower-case English word, by Porter's algorithm.
 * @example stem('running') === stem('runs')
 */
export function stem(word: string): string {
  if (word.length <= 2 || !/^[a-z]+$/.test(word)) return word
  let text = withoutPlural(word)
  text = withoutParticiple(text)
  if (text.endsWith('y') && vowel.test(text.slice(0, -1))) text = `${text.slice(0, -1)}i`
  text = replaced(replaced(text, second), third)
  text = withoutSuffix(text)
  return trimmed(text)
}

/** How many times a run of vowels is followed by one of consonants. */
function measure(text: string): number {
  const pattern = [...text]
    .map((char, i) => ('aeiou'.includes(char) || (char === 'y' && i > 0 && !'aeiou'.includes(text[i - 1]!)) ? 'v' : 'c'))
    .join('')
  return pattern.match(/v+c+/g)?.length ?? 0
}

function withoutPlural(text: string): string {
  if (text.endsWith('sses') || text.endsWith('ies')) return text.slice(0, -2)
  return text.endsWith('s') && !text.endsWith('ss') ? text.slice(0, -1) : text
}

function withoutParticiple(text: string): string {
  if (text.endsWith('eed')) return measure(text.slice(0, -3)) > 0 ? text.slice(0, -1) : text
  const base = text.endsWith('ed') ? text.slice(0, -2) : text.endsWith('ing') ? text.slice(0, -3) : undefined
  if (base === undefined || !vowel.test(base)) return text
  if (/(?:at|bl|iz)$/.test(base)) return `${base}e`
  if (/([^aeiou])\1$/.test(base) && !/[lsz]$/.test(base)) return base.slice(0, -1)
  return measure(base) === 1 && short.test(base) ? `${base}e` : base
}

function replaced(text: string, endings: readonly [string, string][]): string {
  const found = endings.find(([ending]) => text.endsWith(ending))
  if (!found) return text
  const base = text.slice(0, -found[0].length)
  return measure(base) > 0 ? base + found[1] : text
}

function withoutSuffix(text: string): string {
  const suffix = /[st]ion$/.test(text) ? 'ion' : fourth.find(ending => text.endsWith(ending))
  if (suffix === undefined) return text
  const base = text.slice(0, -suffix.length)
  return measure(base) > 1 ? base : text
}

function trimmed(text: string): string {
  let result = text
  if (result.endsWith('e')) {
    const base = result.slice(0, -1)
    const m = measure(base)
    if (m > 1 || (m === 1 && !short.test(base))) result = base
  }
  return result.endsWith('ll') && measure(result) > 1 ? result.slice(0, -1) : result
}
