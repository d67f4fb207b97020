import type { Chain } from '@carapace/api'
import { AbiCoder, getAddress, hexlify, id, keccak256, namehash, sha256, toUtf8Bytes } from 'ethers'

const abi = AbiCoder.defaultAbiCoder()
const uuidForm = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

/** EIP-55 form of an address in any letter case. @throws TypeError when it is no address */
export function toChecksum(address: string): string {
  const cached = checksums.get(address)
  if (cached) return cached
  const found = getAddress(address.toLowerCase())
  if (checksums.size >= maxChecksums) checksums.clear()
  checksums.set(address, found)
  return found
}
/** The same addresses come again and again, and a checksum is a keccak. */
const checksums = new Map<string, string>()
const maxChecksums = 20_000

/**
 * A record's key on chain: bytes32 of the 32 ASCII characters of its UUID without dashes.
 * @throws RangeError when `uuid` is no UUID
 */
export function onChainKey(uuid: string): string {
  if (!uuidForm.test(uuid)) throw new RangeError(`${uuid} is not a UUID`)
  return hexlify(toUtf8Bytes(uuid.replaceAll('-', '').toLowerCase()))
}

/** The UUID of an on-chain key; undefined when the bytes are none of ours. */
export function uuidOfKey(key: string): string | undefined {
  const hex = Buffer.from(key.slice(2), 'hex').toString('latin1')
  if (!/^[0-9a-f]{32}$/.test(hex)) return undefined
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`
}

/** Escrow slot of a gig and its poster: keccak256(abi.encode(key, poster)). */
export const escrowSlot = (gigId: string, poster: string): string =>
  keccak256(abi.encode(['bytes32', 'address'], [onChainKey(gigId), poster.toLowerCase()]))

/** Key of a validation's round: the id's key in round 1, keccak256(abi.encode(key, round)) from round 2 on. */
export const validationKey = (validationId: string, round = 1): string =>
  round === 1 ? onChainKey(validationId) : keccak256(abi.encode(['bytes32', 'uint256'], [onChainKey(validationId), round]))

/**
 * Names a contract log for ever: a reorganisation may include its transaction in another block, where block hash and log index differ, but the
 * transaction emits its logs in the same order. Bookings that follow logs use this key.
 * @param log `logPosition`: place among all logs of its transaction, from 0
 * @returns `<network>:<txHash>:<logPosition>`
 */
export const logIdentity = ({ network, txHash, logPosition }: { network: Chain; txHash: string; logPosition: number }): string =>
  `${network}:${txHash.toLowerCase()}:${logPosition}`

/** The token nonce of a payment: keccak256 of the id's text, so that the token itself refuses a second transfer. */
export const paymentNonce = (paymentId: string): string => id(paymentId)

/** ERC-721 id of a full domain name (ENS namehash). @throws when a label is empty or not normalised */
export const domainTokenId = (fullDomain: string): bigint => BigInt(namehash(fullDomain))

/** A commerce job id as the spec's events write it; also the key of a job that somebody made on the contract itself. */
export const jobIdTopic = (jobId: bigint): string => `0x${jobId.toString(16).padStart(64, '0')}`

/**
 * The id of a commerce job by its key on chain: the UUID in it, or one made of the number of a job that somebody made on the contract itself.
 * @param contract where it was made; undefined: the first contract of the network, whose jobs are named by their numbers alone
 * @example jobIdOfKey(chain, jobIdTopic(7n))
 */
export function jobIdOfKey(chain: Chain, key: string, contract?: string): string {
  const created = uuidOfKey(key)
  if (created !== undefined) return created
  const hex = sha256(toUtf8Bytes(`commerce job ${chain}:${contract === undefined ? '' : `${contract.toLowerCase()}:`}${BigInt(key)}`)).slice(2)
  return [hex.slice(0, 8), hex.slice(8, 12), `8${hex.slice(13, 16)}`, `8${hex.slice(17, 20)}`, hex.slice(20, 32)].join('-')
}

/** What the registry accepts once: the n-th operation on a domain; also the nonce of the authorisation that pays for it. */
export const domainOperationId = (domainId: string, n: number): string => id(`${domainId}:${n}`)
