import type { IncomingMessage } from 'node:http'

const loopback = /^(?:localhost|127\.\d{1,3}\.\d{1,3}\.\d{1,3}|\[::1\])(?::\d+)?$/i

/** Whether the request names this machine: a page whose own name was pointed here (DNS rebinding) sends that name. */
export const namesThisMachine = ({ headers }: IncomingMessage): boolean => headers.host === undefined || loopback.test(headers.host)

/** Whether a page of another site sends this: a browser names it in Origin, a wallet or a program sends none. */
export function isForeignPage({ headers: { origin, host } }: IncomingMessage): boolean {
  if (origin === undefined) return false
  const page = URL.canParse(origin) ? new URL(origin) : undefined
  return !page || !loopback.test(page.host) || page.port !== (/:(\d+)$/.exec(host ?? '')?.[1] ?? '')
}

/** eth_sign and its siblings sign with the node's own accounts. */
const openMethods = /^(?:eth_(?!sign)|net_|web3_)/

/** What any public RPC serves to any page: reads, and transactions that somebody signed. The rest changes the chain by fiat. */
export const isOpenToAll = (method: string): boolean => openMethods.test(method)
