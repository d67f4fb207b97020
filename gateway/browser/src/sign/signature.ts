import { base64Of } from './bytes.ts'
import type { Wallet } from './wallet.ts'

const baseSepolia = 84532
const validSeconds = 120

/** The headers of ERC-8128 (RFC 9421 with an Ethereum key) for a request to this gateway. @param body as it is sent */
export async function signatureOf(method: string, path: string, body: string | undefined, wallet: Wallet): Promise<Record<string, string>> {
  const [pathname = '', query] = path.split('?')
  const digest = body === undefined ? undefined : `sha-256=:${base64Of(await sha256(body))}:`
  const covered: [string, string][] = [
    ['@authority', location.host],
    ['@method', method],
    ['@path', pathname],
    ...(query === undefined ? [] : [['@query', `?${query}`] as [string, string]]),
    ...(digest === undefined ? [] : [['content-digest', digest] as [string, string]]),
  ]
  const created = Math.floor(Date.now() / 1000)
  const params = `(${covered.map(([name]) => `"${name}"`).join(' ')});created=${created};expires=${created + validSeconds};nonce="${crypto.randomUUID()}";keyid="erc8128:${baseSepolia}:${wallet.address.toLowerCase()}"`
  const base = [...covered.map(([name, value]) => `"${name}": ${value}`), `"@signature-params": ${params}`].join('\n')
  const signed = await wallet.sign(new TextEncoder().encode(base))
  return {
    ...(digest === undefined ? {} : { 'content-digest': digest }),
    'signature-input': `eth=${params}`,
    signature: `eth=:${base64Of(signed)}:`,
  }
}

const sha256 = async (text: string): Promise<Uint8Array> => new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text)))
