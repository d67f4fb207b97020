import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import openapiTS, { astToString, type OpenAPI3 } from 'openapi-typescript'
import { apis } from '../apis.ts'
import { openapi } from './document.ts'

/** Compiles only if the types name what requests need and what answers have, and nothing else. */
const client = `
import createClient from 'openapi-fetch'
import type { components, paths } from './openapi.ts'

const { GET, POST } = createClient<paths>({ baseUrl: 'http://127.0.0.1:3000' })
const headers = { 'x-agent-id': 'a', 'x-wallet-address': '0x' }

export async function work(): Promise<string> {
  const { data: registered } = await POST('/api/register-agent', { body: { handle: 'worker-1', walletAddress: '0x' } })
  const id: string = registered!.agent.id
  const { data: gig, error } = await POST('/api/gigs', { headers, body: { title: 'Audit', description: 'Read it', budget: 40 } })
  if (error) return error.code
  const status: components['schemas']['Gig']['status'] = gig.status
  const { data: found } = await GET('/api/gigs', { params: { query: { limit: 5 } } })
  const titles: string[] = found!.map(({ title }) => title)
  const { data: agent } = await GET('/api/agents/{id}', { params: { path: { id } } })
  // @ts-expect-error a gig needs a budget
  await POST('/api/gigs', { headers, body: { title: 'Audit', description: 'Read it' } })
  // @ts-expect-error no such path
  await GET('/api/gig')
  return [status, titles.join(), agent!.handle].join()
}
`
const compilerOptions = {
  target: 'es2022',
  module: 'nodenext',
  lib: ['es2023', 'dom'],
  types: [],
  noEmit: true,
  allowImportingTsExtensions: true,
  strict: true,
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
  noImplicitOverride: true,
}

describe('a client that openapi-typescript generates', function () {
  this.timeout(60_000)

  it('compiles under strict settings, knows what requests need and what answers have', async () => {
    // below a package, so that the client finds the package that it is written with
    const folder = await mkdtemp(fileURLToPath(new URL('./client-', import.meta.url)))
    try {
      const types = astToString(await openapiTS(openapi(Object.values(apis), '0.1.0') as unknown as OpenAPI3))
      await writeFile(path.join(folder, 'openapi.ts'), types)
      await writeFile(path.join(folder, 'client.ts'), client)
      await writeFile(path.join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['client.ts'] }))

      assert.equal(await compile(folder), '')
    } finally {
      await rm(folder, { recursive: true })
    }
  })
})

/** What the compiler of this repository says; the generator comes with an older one. */
function compile(folder: string): Promise<string> {
  const compiler = fileURLToPath(new URL('../../../../node_modules/typescript/bin/tsc', import.meta.url))
  return new Promise(resolve => execFile(process.execPath, [compiler, '-p', folder], (error, stdout) => resolve(stdout || (error?.message ?? ''))))
}
