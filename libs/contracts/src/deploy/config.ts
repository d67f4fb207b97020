import { getAddress, isHexString } from 'ethers'
import type { RealDeployment } from './real.ts'

const twoDaysSeconds = 172_800

type Environment = Record<string, string | undefined>

/**
 * Reads the deployment's configuration. Values of keys never appear in an error.
 * @throws Error naming every variable that is missing or malformed.
 */
export function readConfig(env: Environment = process.env): RealDeployment {
  const problems: string[] = []
  const read = <T>(name: string, parse: (text: string) => T, fallback?: T): T => {
    const text = env[name]?.trim()
    if (!text && fallback !== undefined) return fallback
    try {
      if (text) return parse(text)
    } catch {
      // the cause may quote the value
    }
    problems.push(name)
    return undefined as T
  }
  const operator = read('OPERATOR_ADDRESS', getAddress)
  const config: RealDeployment = {
    rpcUrl: read('RPC_URL', httpUrl),
    chainId: read('CHAIN_ID', wholeNumber),
    deployerKey: read('DEPLOYER_KEY', privateKey),
    operator,
    oracle: read('ORACLE_ADDRESS', getAddress, operator ?? ''),
    facilitator: read('FACILITATOR_ADDRESS', getAddress, operator ?? ''),
    pauser: read('PAUSER_ADDRESS', getAddress),
    proposers: read('PROPOSER_ADDRESSES', list => list.split(',').map(a => getAddress(a.trim()))),
    timelockDelaySeconds: read('TIMELOCK_DELAY', wholeNumber, twoDaysSeconds),
    baseUrl: read('PUBLIC_BASE_URL', httpUrl),
  }
  if (problems.length > 0) throw new Error(`missing or malformed: ${problems.join(', ')}`)
  return config
}

function httpUrl(text: string): string {
  if (!/^https?:$/.test(new URL(text).protocol)) throw new Error('not http')
  return text.replace(/\/$/, '')
}

function wholeNumber(text: string): number {
  if (!/^\d{1,15}$/.test(text)) throw new Error('not a whole number')
  return Number(text)
}

function privateKey(text: string): string {
  if (!isHexString(text, 32)) throw new Error('not 32 bytes of hex')
  return text
}
