export type Miner = { wake: () => void; stop: () => void }

export type MinerOptions = {
  /** Makes one block; answers how many transactions it included and how many executable ones the pool still holds. */
  mine: () => Promise<{ included: number; left: number }>
  /** From the first new transaction to the block. */
  debounceMs: number
  /** An empty block after this time without one, so that time-dependent views move; 0 = never. */
  heartbeatMs: number
  onError: (error: Error) => void
}

// Clients that poll for blocks (ethers' wait) miss the one block that included their transaction and read again at the next: for a while after
// the last transaction, blocks go on as a network's would.
const echoMs = 1000
const echoForMs = 10_000

/** Mines on demand: a block `debounceMs` after the first new transaction, again while the pool holds any, and at each heartbeat. */
export function createMiner({ mine, debounceMs, heartbeatMs, onError }: MinerOptions): Miner {
  let soon: NodeJS.Timeout | undefined
  let heartbeat: NodeJS.Timeout | undefined
  let mining = false
  let wanted = false
  let stopped = false
  let lastIncludedAt = 0

  const wake = () => {
    wanted = true
    if (!soon && !mining && !stopped) soon = setTimeout(makeBlock, debounceMs)
  }
  const makeBlock = () => {
    soon = undefined
    mining = true
    wanted = false
    mine()
      .then(
        ({ included, left }) => {
          if (included > 0) lastIncludedAt = Date.now()
          // Transactions that a block did not include (beyond its gas limit, say) wait for the heartbeat instead of spinning.
          wanted ||= left > 0 && included > 0
        },
        error => onError(error as Error),
      )
      .finally(() => {
        mining = false
        if (stopped) return
        rest()
        if (wanted) wake()
      })
  }
  const rest = () => {
    clearTimeout(heartbeat)
    const isRecent = Date.now() - lastIncludedAt < echoForMs
    if (heartbeatMs > 0) heartbeat = setTimeout(() => mining || makeBlock(), isRecent ? Math.min(echoMs, heartbeatMs) : heartbeatMs)
  }
  rest()
  return {
    wake,
    stop: () => {
      stopped = true
      clearTimeout(soon)
      clearTimeout(heartbeat)
    },
  }
}
