import path from 'node:path'
import { makeSecrets } from './make-secrets.ts'

const folder = path.resolve(process.argv[2] ?? 'deploy/secrets')
const made = await makeSecrets(folder)
console.log(made.length > 0 ? `Made in ${folder}: ${made.join(', ')}. Back this folder up.` : `Nothing to make: ${folder} is complete.`)
