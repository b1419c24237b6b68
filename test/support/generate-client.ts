import { registerHooks } from 'node:module';
import type { OpenApiDocument } from '../../src/server/openapi/shapes.ts';

/**
 * The generator writes types by the compiler's programming interface, which TypeScript 7 does not
 * have: it is given that of TypeScript 5, which @ts-morph/common brings along.
 */
const COMPILER =
  "import { createRequire } from 'node:module';" +
  `const { ts } = createRequire(${JSON.stringify(import.meta.url)})('@ts-morph/common');` +
  'export default ts;';

/** The types of a client, as openapi-typescript writes them. */
export async function generateTypes(document: OpenApiDocument): Promise<string> {
  const hooks = registerHooks({
    resolve: (name, context, next) =>
      name === 'typescript' && context.parentURL?.includes('openapi-typescript') === true
        ? {
            url: `data:text/javascript,${encodeURIComponent(COMPILER)}`,
            shortCircuit: true,
          }
        : next(name, context),
  });
  try {
    const { default: generate, astToString } = await import('openapi-typescript');
    return astToString(await generate(JSON.stringify(document)));
  } finally {
    hooks.deregister();
  }
}
