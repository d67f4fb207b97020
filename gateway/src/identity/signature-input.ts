import { Refusal } from '@carapace/api'

/** One signature of a request: the parts of Signature-Input and Signature under one label (RFC 9421, ERC-8128). */
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

/** A member of Signature-Input: its label, the list of components, the parameters. */
const members = /(?:^|,)\s*([a-z*][a-z0-9_.*-]*)=(\(((?:"[^"\\]+"(?: "[^"\\]+")*)?)\)((?:;[a-z][a-z0-9_-]*=(?:\d{1,15}|"[^"\\]*"))*))\s*(?=,|$)/g
const key = /^erc8128:(\d{1,15}):(0x[0-9a-fA-F]{40})$/
const nonceForm = /^[\x21-\x7e]{8,64}$/

/**
 * The signature of a request by an Ethereum key, under any label; members for other kinds of keys are passed over.
 * @throws SIGNATURE_INVALID that says what is wrong
 */
export function parseSignature(inputHeader: unknown, signatureHeader: unknown): SignatureInput {
  const found = typeof inputHeader === 'string' ? [...inputHeader.matchAll(members)].map(memberOf) : []
  const member = found.find(({ params }) => params.get('keyid')?.startsWith('erc8128:')) ?? found[0]
  if (!member) throw invalid('Signature-Input must have a member with a list of components and its parameters')
  const { label, components, params } = member
  const signature = signatureUnder(label, signatureHeader)
  if (!signature) throw invalid(`Signature must have a member ${label} with the signature in base64 between colons`)
  if (new Set(components).size < components.length) throw invalid('A component is covered twice')
  const id = key.exec(params.get('keyid') ?? '')
  if (!id) throw invalid('keyid must be erc8128:<chain id>:<address>')
  const nonce = params.get('nonce') ?? ''
  if (!nonceForm.test(nonce)) throw invalid('nonce must have 8 to 64 visible characters')
  return {
    components,
    params: member.text,
    created: seconds(params, 'created'),
    expires: seconds(params, 'expires'),
    nonce,
    chainId: Number(id[1]),
    address: id[2]!.toLowerCase(),
    signature,
  }
}

function memberOf([, label = '', text = '', list = '', parameters = '']: RegExpMatchArray) {
  const components = list ? list.split(' ').map(quoted => quoted.slice(1, -1)) : []
  const pairs = [...parameters.matchAll(/;([a-z][a-z0-9_-]*)=(?:(\d+)|"([^"]*)")/g)]
  return { label, text, components, params: new Map(pairs.map(match => [match[1]!, match[2] ?? match[3]!])) }
}

function signatureUnder(label: string, header: unknown): Buffer | undefined {
  const all = typeof header === 'string' ? header.matchAll(/(?:^|,)\s*([a-z*][a-z0-9_.*-]*)=:([A-Za-z0-9+/]+={0,2}):\s*(?=,|$)/g) : []
  for (const [, name, base64] of all) if (name === label) return Buffer.from(base64!, 'base64')
  return undefined
}

export const invalid = (message: string) => new Refusal('SIGNATURE_INVALID', { message })

export const otherWallet = () => invalid('The signature is not by the wallet that the headers name')

function seconds(params: Map<string, string>, name: string): number {
  const value = Number(params.get(name) ?? Number.NaN)
  if (!Number.isSafeInteger(value)) throw invalid(`${name} must be Unix seconds`)
  return value
}
