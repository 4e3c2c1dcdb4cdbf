import { createRequire } from 'node:module'
import { pathToFileURL } from 'node:url'
import { Worker, type WorkerOptions } from 'node:worker_threads'

/**
 * Starts a worker thread on a module of this package. `entry` is the URL of the module as it is written
 * in the sources; in a build it is the compiled file beside the caller.
 */
export function startThread(entry: URL, options: WorkerOptions): Worker {
  const isSource = import.meta.url.endsWith('.ts')
  const url = isSource ? bootstrapOf(entry) : new URL(entry.href.replace(/\.ts$/, '.js'))
  // The arguments of the parent are meant for the parent: inspectors, loaders of test runners.
  return new Worker(url, { execArgv: [], ...options })
}

/** From sources the thread has to register a loader first; a build needs nothing. */
function bootstrapOf(entry: URL): URL {
  const commonJs = createRequire(import.meta.url).resolve('tsx/esm/api')
  const loader = pathToFileURL(commonJs.replace(/\.cjs$/, '.mjs')).href
  const source = `import { register } from ${JSON.stringify(loader)}
    register()
    await import(${JSON.stringify(entry.href)})`
  return new URL(`data:text/javascript,${encodeURIComponent(source)}`)
}
