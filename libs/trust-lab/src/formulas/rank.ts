/** PageRank with weights (damping 0.85, 15 rounds), scaled so that the 95th percentile is 100. */
export function rankOf(edges: ReadonlyMap<string, ReadonlyMap<string, number>>): Map<string, number> {
  const nodes = new Set([...edges].flatMap(([from, targets]) => [from, ...targets.keys()]))
  let rank = new Map([...nodes].map(node => [node, 1 / nodes.size]))
  for (let round = 0; round < 15; round++) {
    const next = new Map([...nodes].map(node => [node, 0.15 / nodes.size]))
    for (const [from, targets] of edges) {
      const total = [...targets.values()].reduce((sum, weight) => sum + weight, 0)
      for (const [to, weight] of targets) next.set(to, next.get(to)! + (0.85 * rank.get(from)! * weight) / total)
    }
    rank = next
  }
  const sorted = [...rank.values()].sort((a, b) => a - b)
  const high = sorted[Math.floor(0.95 * (sorted.length - 1))] ?? 1
  return new Map([...rank].map(([node, value]) => [node, Math.min(100, (100 * value) / high)]))
}
