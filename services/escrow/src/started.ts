import type { Parts } from './parts.ts'

/** Runs once at each start: the first rows, and what answers show of the networks. */
export async function started(parts: Parts): Promise<void> {
  const { tvl, networks } = parts
  await tvl.open()
  parts.metrics.observe('locked.usdc', async () =>
    Object.entries((await tvl.locked()).chains).map(([chain, micro]) => [chain, Number(micro) / 1e6] as const),
  )
  await networks.readAhead()
}
