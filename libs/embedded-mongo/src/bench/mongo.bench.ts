import { parseArgs } from 'node:util'
import { compare } from './compare.ts'
import { watchMemory } from './memory.ts'

/** `bench:mongo [-- ROUNDS ROUND_MS]` compares rates and CPU; `bench:mongo -- --memory MINUTES` watches memory. */
const { values, positionals } = parseArgs({ allowPositionals: true, options: { memory: { type: 'string' } } })
if (values.memory !== undefined) await watchMemory(Number(values.memory))
else await compare(Number(positionals[0] ?? 4), Number(positionals[1] ?? 700))
