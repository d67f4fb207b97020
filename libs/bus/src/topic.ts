/**
 * Whether a routing key matches a binding of a topic exchange: `*` matches one word, `#` for none or more.
 * @example topicMatches('chain.#', 'chain') === true
 */
export function topicMatches(binding: string, routingKey: string): boolean {
  return wordsMatch(binding.split('.'), 0, routingKey.split('.'), 0)
}

function wordsMatch(pattern: readonly string[], p: number, key: readonly string[], k: number): boolean {
  if (p === pattern.length) return k === key.length
  const word = pattern[p]
  if (word === '#') return wordsMatch(pattern, p + 1, key, k) || (k < key.length && wordsMatch(pattern, p, key, k + 1))
  return k < key.length && (word === '*' || word === key[k]) && wordsMatch(pattern, p + 1, key, k + 1)
}
