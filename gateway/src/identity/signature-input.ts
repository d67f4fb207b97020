import { Refusal } from '@carapace/api'

/** The parts of a Signature-Input and Signature header under the label `eth` (RFC 9421, ERC-8128). */
export interface SignatureInput {
  /** Covered components, in order. */
  components: string[]
  /** The value of `@signature-params`, as sent. */
  params: string
  /** Unix seconds. */
  created: number
  expires: number
  nonce: string
  chainId: number
  /** Lower case. */
  address: string
  signature: Buffer
}

const inner = /(?:^|,)\s*eth=(\(((?:"[^"\\]+"(?: "[^"\\]+")*)?)\)((?:;[a-z][a-z0-9_-]*=(?:\d{1,15}|"[^"\\]*"))*))\s*(?:,|$)/
const bytes = /(?:^|,)\s*eth=:([A-Za-z0-9+/]+={0,2}):\s*(?:,|$)/
const key = /^erc8128:(\d{1,15}):(0x[0-9a-fA-F]{40})$/
const nonceForm = /^[\x21-\x7e]{8,64}$/

/** @throws SIGNATURE_INVALID that says what is wrong */
export function parseSignature(inputHeader: unknown, signatureHeader: unknown): SignatureInput {
  const input = typeof inputHeader === 'string' ? inner.exec(inputHeader) : null
  if (!input) throw invalid('Signature-Input must have a member eth with a list of components and its parameters')
  const signature = typeof signatureHeader === 'string' ? bytes.exec(signatureHeader) : null
  if (!signature) throw invalid('Signature must have a member eth with the signature in base64 between colons')
  const components = input[2] ? input[2].split(' ').map(quoted => quoted.slice(1, -1)) : []
  if (new Set(components).size < components.length) throw invalid('A component is covered twice')
  const params = new Map([...(input[3] ?? '').matchAll(/;([a-z][a-z0-9_-]*)=(?:(\d+)|"([^"]*)")/g)].map(match => [match[1]!, match[2] ?? match[3]!]))
  const id = key.exec(params.get('keyid') ?? '')
  if (!id) throw invalid('keyid must be erc8128:<chain id>:<address>')
  const nonce = params.get('nonce') ?? ''
  if (!nonceForm.test(nonce)) throw invalid('nonce must have 8 to 64 visible characters')
  return {
    components,
    params: input[1]!,
    created: seconds(params, 'created'),
    expires: seconds(params, 'expires'),
    nonce,
    chainId: Number(id[1]),
    address: id[2]!.toLowerCase(),
    signature: Buffer.from(signature[1]!, 'base64'),
  }
}

export const invalid = (message: string) => new Refusal('SIGNATURE_INVALID', { message })

export const otherWallet = () => invalid('The signature is not by the wallet that the headers name')

function seconds(params: Map<string, string>, name: string): number {
  const value = Number(params.get(name) ?? Number.NaN)
  if (!Number.isSafeInteger(value)) throw invalid(`${name} must be Unix seconds`)
  return value
}
