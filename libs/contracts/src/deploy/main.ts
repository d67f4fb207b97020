import { readFile } from 'node:fs/promises'
import { readConfig } from './config.ts'
import type { Deployment } from './devnet.ts'
import { deployReal } from './real.ts'
import { type Addressed, deployReplacement, type ReplacementGroup, replacedTogether } from './replacement.ts'

/** Without arguments all contracts; with `--replace <name> <file of addresses>` a further one next to those of the file. */
const [, , action, name, file] = process.argv

async function deploy(): Promise<Deployment> {
  if (action === undefined) return deployReal(readConfig())
  const replaceable = Object.keys(replacedTogether) as ReplacementGroup[]
  const wanted = replaceable.find(one => one === name)
  if (action !== '--replace' || wanted === undefined || file === undefined)
    throw new Error(
      `${wanted || name === undefined ? '' : `${name} cannot be replaced; `}usage: npm run deploy:contracts [-- --replace ${replaceable.join('|')} <file of addresses>]`,
    )
  const present = JSON.parse(await readFile(file, 'utf8')) as Addressed
  return deployReplacement({ ...readConfig(), name: wanted, present })
}

try {
  process.stdout.write(`${JSON.stringify(await deploy(), null, 2)}\n`)
} catch (error) {
  process.stderr.write(`${(error as Error).message}\n`)
  process.exitCode = 1
}
