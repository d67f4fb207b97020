import type { IncomingMessage } from 'node:http'
import { Refusal } from '@carapace/api'
import { type Agents, uuidForm, walletForm } from './agents.ts'
import { parseSignature } from './signature-input.ts'

/**
 * The id of the agent that a request names by a header or by the key of its signature. Nothing of it is proven.
 * @param count of a lookup that comes before the request itself is counted @throws what it throws
 */
export async function namedAgent({ headers }: Pick<IncomingMessage, 'headers'>, agents: Agents, count?: () => void): Promise<string | undefined> {
  const id = textOf(headers['x-agent-id'])
  if (id !== undefined) return uuidForm.test(id) ? id : undefined
  const wallet = namedWallet({ headers })
  if (wallet === undefined) return undefined
  count?.()
  const agent = (await agents.byWallet(wallet)) ?? (await agents.freshByWallet(wallet))
  return agent?.id
}

/** The wallet that a request names in the same ways. Nothing of it is proven either. */
export function namedWallet({ headers }: Pick<IncomingMessage, 'headers'>): string | undefined {
  const wallet = textOf(headers['x-wallet-address']) ?? signingWallet(headers)?.toLowerCase()
  return wallet !== undefined && walletForm.test(wallet) ? wallet : undefined
}

function signingWallet(headers: IncomingMessage['headers']): string | undefined {
  if (headers['signature-input'] === undefined) return undefined
  try {
    return parseSignature(headers['signature-input'], headers.signature).address
  } catch (error) {
    // who checks the signature says what is wrong with it
    if (error instanceof Refusal) return undefined
    throw error
  }
}

function textOf(header: string | string[] | undefined): string | undefined {
  const text = typeof header === 'string' ? header.trim().toLowerCase() : ''
  return text === '' ? undefined : text
}
