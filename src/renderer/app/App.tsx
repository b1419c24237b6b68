import { CSPProvider } from '@base-ui/react/csp-provider';
import { createBrowserRouter } from 'react-router';
import { RouterProvider } from 'react-router/dom';
import { ServicesProvider, type Services } from '../state/services.tsx';
import { ToastProvider } from '../ui/Toast.tsx';
import { routes } from './routes.tsx';
import '../ui/tokens.css';
import '../ui/base.css';
import '../ui/controls.css';
import '../ui/popups.css';
import '../ui/pages.css';
import '../ui/tables.css';
import '../ui/content.css';
import './shell.css';

export function createApp(services: Services) {
  const router = createBrowserRouter(routes);
  return (
    <CSPProvider nonce={services.cspNonce}>
      <ServicesProvider services={services}>
        <ToastProvider>
          <RouterProvider router={router} />
        </ToastProvider>
      </ServicesProvider>
    </CSPProvider>
  );
}
