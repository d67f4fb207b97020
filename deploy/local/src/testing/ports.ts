import { randomInt } from 'node:crypto'
import { createServer } from 'node:net'

/** The first of so many free ports in a row, below those that systems hand out by themselves. */
export async function freePorts(count: number): Promise<number> {
  for (;;) {
    const base = randomInt(15_000, 32_000)
    const free = await Promise.all(Array.from({ length: count }, (_, n) => isFree(base + n)))
    if (free.every(Boolean)) return base
  }
}

function isFree(port: number): Promise<boolean> {
  return new Promise(resolve => {
    const probe = createServer()
    probe.once('error', () => resolve(false))
    probe.listen(port, '127.0.0.1', () => probe.close(() => resolve(true)))
  })
}
