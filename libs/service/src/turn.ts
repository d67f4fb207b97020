/**
 * Does for all items of one turn of the event loop, at its end, what need not be done at once. Work of which nobody waits for the result costs a
 * fraction when it is done for many in a row: each alone runs on cold caches between two system calls (docs/decisions/013).
 * @example const note = atTurnsEnd(line => log.info(line))
 */
export function atTurnsEnd<Item>(work: (item: Item) => void): (item: Item) => void {
  let waiting: Item[] = []
  const workAll = () => {
    const items = waiting
    waiting = []
    for (const item of items) work(item)
  }
  return item => {
    if (waiting.push(item) === 1) setImmediate(workAll)
  }
}
