/** What each node leads to. */
export type Graph = ReadonlyMap<string, ReadonlySet<string>>

/**
 * The sets of nodes that lead to each other, each in order of name; a node that leads to itself alone is none.
 * @example circlesIn(new Map([['a', new Set(['b'])], ['b', new Set(['a'])]])) // [['a', 'b']]
 */
export function circlesIn(graph: Graph): string[][] {
  const order = new Map<string, number>()
  const lowest = new Map<string, number>()
  const open: string[] = []
  const circles: string[][] = []
  const visit = (node: string): void => {
    order.set(node, order.size)
    lowest.set(node, order.get(node)!)
    open.push(node)
    for (const next of graph.get(node) ?? []) {
      if (!order.has(next)) visit(next)
      if (open.includes(next)) lowest.set(node, Math.min(lowest.get(node)!, lowest.get(next)!))
    }
    if (lowest.get(node) !== order.get(node)) return
    const circle = open.splice(open.indexOf(node))
    if (circle.length > 1) circles.push(circle.sort())
  }
  for (const node of graph.keys()) if (!order.has(node)) visit(node)
  return circles.sort()
}
