import { readFile } from 'node:fs/promises'
import { getAddress, isHexString } from 'ethers'
import type { Addressed } from '../deploy/replacement.ts'
import { exchangeRoles, type RoleAction } from './exchange.ts'

const usage = 'usage: RPC_URL=… PROPOSER_KEY=… npm run relayer:roles -- grant|revoke <address of a relayer key> <file of addresses>'
const [, , action, address, file] = process.argv
const { RPC_URL: rpcUrl, PROPOSER_KEY: proposerKey } = process.env

/** Grants or revokes the roles of a relayer key; prints how far that is, as JSON. */
async function run(): Promise<unknown> {
  if (!isAction(action) || !address || !file || !rpcUrl) throw new Error(usage)
  // the cause would quote the value
  if (proposerKey && !isHexString(proposerKey, 32)) throw new Error('PROPOSER_KEY must be 0x and 64 hex digits')
  const present = JSON.parse(await readFile(file, 'utf8')) as Addressed
  return exchangeRoles({ rpcUrl, action, address: getAddress(address), present, proposerKey })
}

const isAction = (word: string | undefined): word is RoleAction => word === 'grant' || word === 'revoke'

try {
  process.stdout.write(`${JSON.stringify(await run(), null, 2)}\n`)
} catch (error) {
  process.stderr.write(`${(error as Error).message}\n`)
  process.exitCode = 1
}
