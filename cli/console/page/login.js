// Comes in with a token.
import {make} from "./elements.js";
import {sentence} from "./format.js";
import {isLoggedIn, logIn, logOut} from "./session.js";

// `why`: of a login that failed; empty: none did.
export const login = (why) => ({
  name: "login", title: "Log in",
  draw() {
    const told = make("p", {role: "alert"}, why && sentence(why));
    const submit = async (event) => {
      event.preventDefault();
      try {
        const refused = await logIn(new FormData(event.target).get("token"));
        if (refused) told.textContent = sentence(refused);
        else location.hash = "#/";
      } catch {
        told.textContent = "The console does not answer.";
      }
    };
    const leave = async () => {
      await logOut();
      location.hash = "#/";
    };
    if (isLoggedIn()) return [make("h1", null, "Logged in"), make("button", {type: "button", onclick: leave}, "Log out")];
    return [
      make("h1", null, "Log in"),
      make("form", {onsubmit: submit}, make("label", null, "Token ", make("input", {name: "token", type: "password", autocomplete: "current-password", required: true})),
        make("button", null, "Log in")), told,
      make("p", {class: "faint"}, "On the machine of the console no token is needed: type ", make("code", null, "orbweaver console"),
        " there, beside a crawl with ", make("code", null, "--data DIR"), ", and open the link that it prints. Elsewhere it is console.read_token to look, and admin.token to act.")];
  },
});
