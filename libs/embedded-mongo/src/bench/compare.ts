import { type Contestant, startEcho, startEngine } from './contestant.ts'
import { type Operation, operations } from './operations.ts'
import { startPostgres } from './postgres.ts'

interface Sample {
  perSecond: number
  cpuMicros: number
}

/** What is measured is a server at work: the compiler needs some 10,000 operations of a kind, and its time counts as the server's. */
const warmUpRounds = 5

/**
 * Runs every operation against the echo server, the engine and, where it is installed, PostgreSQL. They alternate, so that all meet the same
 * load of the machine. Prints the medians: rates, the engine's rate as a part of the echo server's, and the servers' CPU time.
 */
export async function compare(rounds: number, roundMs: number): Promise<void> {
  const postgres = await startPostgres()
  if (!postgres) console.log('PostgreSQL is not installed: no column for it')
  const contestants = [await startEcho(), await startEngine(), ...(postgres ? [postgres] : [])]
  const names = contestants.map(({ name }) => name)
  console.log(`clients  ${'operation'.padEnd(33)}${names.map(name => `${name}/s`.padStart(10)).join('')}  ratio  CPU µs/op:${cells(names, 8)}`)
  let done = 0
  for (const operation of operations) {
    const samples = contestants.map((): Sample[] => [])
    for (const contestant of contestants) done += (await measure(contestant, operation, done, warmUpRounds * roundMs)).count
    for (let round = 1; round <= rounds; round++) {
      for (const [i, contestant] of contestants.entries()) {
        const { sample, count } = await measure(contestant, operation, done, roundMs)
        samples[i]!.push(sample)
        done += count
      }
    }
    print(operation, samples)
  }
  for (const contestant of contestants) await contestant.close()
}

async function measure(contestant: Contestant, operation: Operation, from: number, roundMs: number): Promise<{ sample: Sample; count: number }> {
  let begun = 0
  let done = 0
  const cpu = contestant.cpuSeconds()
  const started = performance.now()
  const end = started + roundMs
  const one = async () => {
    while (performance.now() < end) {
      begun += 1
      await contestant.run(operation, from + begun)
      done += 1
    }
  }
  await Promise.all(Array.from({ length: operation.clients }, one))
  const seconds = (performance.now() - started) / 1000
  return { sample: { perSecond: done / seconds, cpuMicros: ((contestant.cpuSeconds() - cpu) * 1e6) / done }, count: begun }
}

function print(operation: Operation, samples: readonly Sample[][]): void {
  const rates = samples.map(list => median(list.map(({ perSecond }) => perSecond)))
  const cpu = samples.map(list => median(list.map(({ cpuMicros }) => cpuMicros)).toFixed(0))
  const ratio = (rates[1]! / rates[0]!).toFixed(2).padStart(7)
  console.log(
    `${String(operation.clients).padStart(7)}  ${operation.name.padEnd(33)}${cells(
      rates.map(rate => rate.toFixed(0)),
      10,
    )}${ratio}            ${cells(cpu, 8)}`,
  )
}

function cells(texts: readonly string[], width: number): string {
  return texts.map(text => text.padStart(width)).join('')
}

function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b)
  const middle = sorted.length >> 1
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2
}
