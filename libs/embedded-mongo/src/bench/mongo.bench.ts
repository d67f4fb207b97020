import { parseArgs } from 'node:util'
import { compare } from './compare.ts'
import { watchMemory } from './memory.ts'
import { measurePings } from './pings.ts'

/**
 * `bench:mongo [-- ROUNDS ROUND_MS]` compares rates and CPU, and measures pings while 500,000 documents are changed;
 * `bench:mongo -- --memory MINUTES` watches memory, `bench:mongo -- --pings DOCUMENTS` does the pings alone.
 */
const { values, positionals } = parseArgs({ allowPositionals: true, options: { memory: { type: 'string' }, pings: { type: 'string' } } })
if (values.memory !== undefined) await watchMemory(Number(values.memory))
else {
  if (values.pings === undefined) await compare(Number(positionals[0] ?? 4), Number(positionals[1] ?? 700))
  await measurePings(Number(values.pings ?? 500_000))
}
