import type { JsonFragment } from 'ethers'
import { artifact } from './artifact.ts'

// The contract emits the platform's events and ERC-8183's, which share names: one ABI with both makes bare names ambiguous.
// The ERC has some functions in two forms, its authors' contracts three in another one; both ABIs have the form of the ERC's prose.
const leftOut = new Set([
  'setProvider(uint256,address)',
  'fund(uint256,bytes)',
  'createJob(address,address,uint256,string,address,uint256)',
  'setProvider(uint256,address,uint256)',
  'setBudget(uint256,address,uint256,bytes)',
])
const platformFunctions = new Set([
  'createJobFor',
  'prefund',
  'prefundWithAuthorization',
  'assign',
  'submitFor',
  'withdrawFor',
  'flagDispute',
  'jobOf',
  'keyOf',
  'jobByKey',
  'depositOf',
  'isDisputed',
  'totalDeposits',
])

/** ABI of the commerce contract with the platform's events: `bytes32 jobId`. */
export function abiSpec(): JsonFragment[] {
  return unambiguous().filter(entry => entry.type !== 'event' || entry.inputs?.[0]?.type === 'bytes32')
}

/** ABI of the commerce contract as an ERC-8183 client sees it: `uint256 jobId`. */
export function abiErc8183(): JsonFragment[] {
  return unambiguous().filter(entry =>
    entry.type === 'event' ? entry.inputs?.[0]?.name === 'jobId' && entry.inputs[0].type === 'uint256' : !platformFunctions.has(entry.name ?? ''),
  )
}

function unambiguous(): JsonFragment[] {
  return artifact('Commerce').abi.filter(entry => entry.type !== 'constructor' && !leftOut.has(signatureOf(entry)))
}

function signatureOf(entry: JsonFragment): string {
  return `${entry.name}(${(entry.inputs ?? []).map(input => input.type).join(',')})`
}
