import { appendFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { quiet } from '../bus.ts'
import { Retry, rabbitBus } from '../index.ts'
import { fromArgv, queue } from './workload.ts'

/**
 * A consumer process of the torture run. The effect of an event is a file with the event's id for a name, made once by any consumer; a second
 * delivery is only noted. Every fiftieth event fails at first.
 */
const { url, prefix, folder } = fromArgv(process.argv.slice(2))
const bus = rabbitBus({ log: quiet, url, prefix, service: 'torture-consumer', retry: { delaysMs: [100, 200], limit: 20 } })

await bus.subscribe(queue, async (event, { attempt }) => {
  const n = Number(event.data.n)
  if (n % 50 === 0 && attempt === 1) throw new Retry('not yet')
  try {
    await writeFile(path.join(folder, 'effects', String(n % 256), event.id), String(n), { flag: 'wx' })
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error
    await appendFile(path.join(folder, 'repeated'), `${n}\n`)
  }
})
